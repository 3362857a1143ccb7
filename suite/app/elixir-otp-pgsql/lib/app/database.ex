defmodule App.Database do
  @moduledoc "A pool of connections that are all opened at the start, by p1_pgsql and poolboy."
  use Supervisor

  @pool_size 16
  @pool __MODULE__.Pool
  # Which connection has which of these prepared: each is, when it is first asked for.
  @prepared __MODULE__.Prepared
  @statements %{
    world: "SELECT id, randomnumber FROM world WHERE id = $1",
    update: "UPDATE world SET randomnumber = $2 WHERE id = $1",
    fortunes: "SELECT id, message FROM fortune"
  }

  @type connection :: pid()

  @doc "Opens the database that a URL names."
  @spec start_link(String.t()) :: Supervisor.on_start()
  def start_link(url), do: Supervisor.start_link(__MODULE__, url, name: __MODULE__)

  @impl true
  def init(url) do
    :ets.new(@prepared, [:named_table, :public, read_concurrency: true])

    pool = [
      name: {:local, @pool},
      # The driver's own processes: nobody stands between.
      worker_module: :pgsql_proto,
      size: @pool_size,
      max_overflow: 0
    ]

    Supervisor.init([:poolboy.child_spec(@pool, pool, options(URI.parse(url)))],
      strategy: :one_for_one
    )
  end

  @doc "Calls `use` with a connection that nobody else has meanwhile."
  @spec with_connection((connection() -> result)) :: result when result: var
  def with_connection(use), do: :poolboy.transaction(@pool, use, :infinity)

  @doc "The rows of a prepared statement; of one that gives none, how many it wrote."
  @spec execute(connection(), atom(), [integer()]) :: [[integer() | String.t()]] | integer()
  def execute(connection, statement, parameters \\ []) do
    case :pgsql.execute(connection, prepared(connection, statement), parameters) do
      {:ok, {_command, rows}} when is_list(rows) ->
        Enum.map(rows, &Enum.map(&1, fn c -> value(c) end))

      {:ok, {_command, written}} ->
        written
    end
  end

  # The name under which the connection has the statement. Nobody else has the connection meanwhile.
  defp prepared(connection, statement) do
    name = Atom.to_string(statement)

    unless :ets.member(@prepared, {connection, statement}) do
      {:ok, _status, _parameters, _columns} =
        :pgsql.prepare(connection, name, Map.fetch!(@statements, statement))

      :ets.insert(@prepared, {{connection, statement}})
    end

    name
  end

  @doc "What `use` does is done as a whole, or not at all."
  @spec transaction(connection(), (() -> result)) :: result when result: var
  def transaction(connection, use) do
    {:ok, _} = :pgsql.squery(connection, "BEGIN")
    result = use.()
    {:ok, _} = :pgsql.squery(connection, "COMMIT")
    result
  rescue
    error ->
      :pgsql.squery(connection, "ROLLBACK")
      reraise error, __STACKTRACE__
  end

  defp value({:int4, digits}), do: String.to_integer(digits)
  defp value({_type, text}), do: text

  defp options(%URI{path: "/" <> database} = url) do
    login = String.split(url.userinfo || "postgres", ":", parts: 2)
    [user | password] = Enum.map(login, &URI.decode/1)

    [
      host: to_charlist(url.host),
      port: url.port || 5432,
      database: URI.decode(database),
      user: user,
      password: List.to_string(password),
      as_binary: true
    ]
  end
end
