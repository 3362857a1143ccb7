"""Services beside contenders: started afresh, waited for, metered apart, stopped. Any kind may have some."""
