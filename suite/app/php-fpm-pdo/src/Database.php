<?php

declare(strict_types=1);

/** Rows of a PostgreSQL, by a connection that this process keeps from one request to the next. */
final class Database
{
    private function __construct(private readonly PDO $pdo)
    {
    }

    public static function open(string $url): self
    {
        $parts = parse_url($url);
        $source = sprintf('pgsql:host=%s;port=%d;dbname=%s', $parts['host'], $parts['port'] ?? 5432, ltrim($parts['path'], '/'));

        [$user, $password] = [rawurldecode($parts['user'] ?? ''), rawurldecode($parts['pass'] ?? '')];

        return new self(new PDO($source, $user, $password, [PDO::ATTR_PERSISTENT => true]));
    }

    /**
     * These rows, one query after another.
     *
     * @param list<int> $ids
     * @return list<array{id: int, randomNumber: int}>
     * @throws NotFound
     */
    public function worlds(array $ids): array
    {
        $byId = $this->pdo->prepare('SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = ?');

        return array_map(static function (int $id) use ($byId): array {
            $byId->execute([$id]);

            return $byId->fetch(PDO::FETCH_ASSOC) ?: throw new NotFound();
        }, $ids);
    }

    /**
     * These rows of `cached_world`, all of which are read when one is first asked for, by whichever process.
     *
     * @param list<int> $ids
     * @return list<array{id: int, randomNumber: int}>
     * @throws NotFound
     */
    public function cachedWorlds(array $ids): array
    {
        // Processes that come here meanwhile wait for the one that reads.
        apcu_entry('worlds', $this->cacheWorlds(...));
        $cached = apcu_fetch(array_map(self::cacheKey(...), $ids));

        return array_map(static fn (int $id): array => $cached[self::cacheKey($id)] ?? throw new NotFound(), $ids);
    }

    /** @return int how many */
    private function cacheWorlds(): int
    {
        $worlds = $this->pdo->query('SELECT id, randomnumber AS "randomNumber" FROM cached_world')->fetchAll(PDO::FETCH_ASSOC);
        apcu_store(array_combine(array_map(self::cacheKey(...), array_column($worlds, 'id')), $worlds));

        return count($worlds);
    }

    private static function cacheKey(int $id): string
    {
        return "world.$id";
    }

    /**
     * New values, in one transaction and by id: two requests never wait for each other.
     *
     * @param array<int, int> $values
     */
    public function write(array $values): void
    {
        ksort($values);
        $update = $this->pdo->prepare('UPDATE world SET randomnumber = ? WHERE id = ?');
        $this->pdo->beginTransaction();
        foreach ($values as $id => $value) {
            $update->execute([$value, $id]);
        }
        $this->pdo->commit();
    }

    /** @return list<array{id: int, message: string}> */
    public function fortunes(): array
    {
        return $this->pdo->query('SELECT id, message FROM fortune')->fetchAll(PDO::FETCH_ASSOC);
    }
}
