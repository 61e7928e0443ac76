"""The engines that are compared. Each runs in processes of its own, one at a
time, on as many cores as it may have threads."""
