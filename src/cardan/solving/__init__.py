"""Pages that solve: a model's tables and the kernels that it enters, as WebAssembly inside a saved page."""
