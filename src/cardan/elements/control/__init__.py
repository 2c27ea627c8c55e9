"""Control: sensors, blocks, controllers and actuators, which are devices between signals and forces."""
