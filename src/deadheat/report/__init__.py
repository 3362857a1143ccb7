"""Results, told: at the terminal, in Markdown, as CSV and JSON. Everything here reads results and runs nothing."""
