"""Access: who can do what to which table? One module a chapter."""
