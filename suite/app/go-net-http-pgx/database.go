package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const poolSize = 16

// openPool gives a pool whose connections are all open.
func openPool(ctx context.Context, url string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns, config.MinConns = poolSize, poolSize
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	opened := make([]*pgxpool.Conn, poolSize)
	for i := range opened {
		if opened[i], err = pool.Acquire(ctx); err != nil {
			return nil, fmt.Errorf("connection %d of %d: %w", i+1, poolSize, err)
		}
	}
	for _, conn := range opened {
		conn.Release()
	}
	return pool, nil
}

func fail(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, pgx.ErrNoRows) {
		http.NotFound(w, r)
		return
	}
	log.Print(err)
	http.Error(w, "internal server error", http.StatusInternalServerError)
}
