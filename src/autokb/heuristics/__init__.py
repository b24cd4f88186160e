"""The engines that answer the tasks offline: pure functions, without a model."""
