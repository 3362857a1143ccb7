package main

import (
	"cmp"
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const poolSize = 16

// World is a row of the table world.
type World struct {
	ID           int32 `json:"id"`
	RandomNumber int32 `json:"randomNumber"`
}

// Fortune is a row of the table fortune.
type Fortune struct {
	ID      int32
	Message string
}

type store struct {
	pool *pgxpool.Pool
}

// openStore returns once all connections of the pool are open.
func openStore(ctx context.Context, url string) (*store, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	config.MinConns = poolSize
	config.MaxConns = poolSize

	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := fill(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return &store{pool: pool}, nil
}

// fill takes every connection once: the pool opens them when they are asked for.
func fill(ctx context.Context, pool *pgxpool.Pool) error {
	for range poolSize {
		conn, err := pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
	}
	return nil
}

func (s *store) close() {
	s.pool.Close()
}

// world reads one row; of none the error is pgx.ErrNoRows.
func (s *store) world(ctx context.Context, id int32) (World, error) {
	var w World
	err := s.pool.QueryRow(ctx, "SELECT id, randomnumber FROM world WHERE id = $1", id).Scan(&w.ID, &w.RandomNumber)
	return w, err
}

// update writes all rows in one batch, which is one transaction: by their ids,
// so that two requests never wait for each other, and the last value of an id stays.
func (s *store) update(ctx context.Context, worlds []World) error {
	sorted := slices.Clone(worlds)
	slices.SortStableFunc(sorted, func(a, b World) int {
		return cmp.Compare(a.ID, b.ID)
	})

	batch := &pgx.Batch{}
	for _, w := range sorted {
		batch.Queue("UPDATE world SET randomnumber = $2 WHERE id = $1", w.ID, w.RandomNumber)
	}
	return s.pool.SendBatch(ctx, batch).Close()
}

func (s *store) fortunes(ctx context.Context) ([]Fortune, error) {
	rows, err := s.pool.Query(ctx, "SELECT id, message FROM fortune")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Fortune])
}
