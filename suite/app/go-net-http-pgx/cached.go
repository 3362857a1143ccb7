package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/maypok86/otter/v2"
)

const (
	cachedByID = "SELECT id, randomnumber FROM cached_world WHERE id = $1"

	// mostCached is how many rows are kept.
	mostCached = 20_000
)

// cachedWorlds is the table `cached_world`, each row of which is read when it is first asked for.
type cachedWorlds struct {
	cache *otter.Cache[int32, world]
	read  otter.LoaderFunc[int32, world]
}

func cacheWorlds(pool *pgxpool.Pool) *cachedWorlds {
	return &cachedWorlds{
		cache: otter.Must(&otter.Options[int32, world]{MaximumSize: mostCached}),
		read: func(ctx context.Context, id int32) (world, error) {
			var found world
			err := pool.QueryRow(ctx, cachedByID, id).Scan(&found.ID, &found.RandomNumber)
			if errors.Is(err, pgx.ErrNoRows) {
				err = errors.Join(err, otter.ErrNotFound)
			}
			return found, err
		},
	}
}

func (s *cachedWorlds) byIDs(w http.ResponseWriter, r *http.Request) {
	ids := strings.Split(r.URL.Query().Get("ids"), ",")
	ids = ids[:min(len(ids), mostIDs)]
	all := make([]world, len(ids))
	for i, text := range ids {
		id, err := strconv.ParseInt(text, 10, 32)
		if err != nil {
			http.Error(w, "ids are whole numbers, with commas between", http.StatusBadRequest)
			return
		}
		if all[i], err = s.cache.Get(r.Context(), int32(id), s.read); err != nil {
			fail(w, r, err)
			return
		}
	}
	respond(w, all)
}
