"""Control: sensors, blocks, controllers and actuators, all of them devices between signals and forces."""
