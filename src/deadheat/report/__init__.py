"""Results, told: at the terminal, in Markdown, as CSV and JSON. Nothing here runs anything."""
