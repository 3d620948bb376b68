"""Three new users, from the first command to a decision: commands, exit codes and key facts."""
