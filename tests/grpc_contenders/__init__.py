"""The contenders of grpc-unary, each built as a race builds it and asked over real connections."""
