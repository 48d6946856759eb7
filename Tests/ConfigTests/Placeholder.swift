// Makes room for the target.
