"""Models from SDF files, the format of Gazebo."""
