#!/usr/bin/env perl

# Plain text, JSON and, where DATABASE_URL names a PostgreSQL, rows of it.
use Mojolicious::Lite -signatures;

use Mojo::Pg;
use Mojo::Promise;

use constant {

  # Of a request; further ones are not looked up.
  MOST_IDS => 500,

  # How many stay open. Mojo::Pg waits for none: each request at hand has its own.
  CONNECTIONS => 64,
  BY_ID       => 'SELECT id, randomnumber FROM world WHERE id = ?',
  FORTUNES    => 'SELECT id, message FROM fortune',
  UPDATE      => <<'SQL',
UPDATE world SET randomnumber = new.value
FROM unnest(?::integer[], ?::integer[]) AS new (id, value)
WHERE world.id = new.id
SQL
};

# All are opened at the start, and given back when this ends.
sub opened ($url) {
  my $pg  = Mojo::Pg->new($url)->max_connections(CONNECTIONS);
  my @all = map { $pg->db } 1 .. CONNECTIONS;
  return $pg;
}

helper pg => sub { state $pg = opened($ENV{DATABASE_URL}) };

helper world => sub ($c, $row) {
  return {id => 0 + $row->{id}, randomNumber => 0 + $row->{randomnumber}};
};

# The rows of these ids, one query after another, on one connection; a promise.
helper worlds => sub ($c, @ids) {
  my $db = $c->pg->db;
  return Mojo::Promise->map({concurrency => 1}, sub ($id) { $db->query_p(BY_ID, $id) }, @ids)
    ->then(sub (@found) {
    return [map { $_->[0]->hash } @found];
    });
};

hook before_dispatch => sub ($c) { $c->res->headers->server('Mojolicious') };

get '/plaintext/#name' => sub ($c) {
  $c->render(text => 'Hello, ' . $c->stash('name') . '!', format => 'txt');
};

get '/json/#name' => sub ($c) {
  $c->render(json => {message => 'Hello, ' . $c->stash('name') . '!'});
};

if ($ENV{DATABASE_URL}) {
  app->pg;

  get '/db' => sub ($c) {
    my $id = $c->param('id') // '';
    return $c->rendered(400) unless $id =~ /^\d+$/;
    $c->render_later;
    return $c->worlds($id)->then(sub ($rows) {
      return $c->rendered(404) unless $rows->[0];
      $c->render(json => $c->world($rows->[0]));
    });
  };

  get '/queries' => sub ($c) {
    my @ids = split /,/, $c->param('ids') // '';
    return $c->rendered(400) if !@ids || grep { !/^\d+$/ } @ids;
    splice @ids, MOST_IDS if @ids > MOST_IDS;
    $c->render_later;
    return $c->worlds(@ids)->then(sub ($rows) {
      return $c->rendered(404) if grep { !$_ } @$rows;
      $c->render(json => [map { $c->world($_) } @$rows]);
    });
  };

  # Of a row that is given twice the last value stays; rows are locked by id: two requests never wait for
  # each other.
  post '/updates' => sub ($c) {
    my $asked = $c->req->json;
    return $c->rendered(400) unless ref $asked eq 'ARRAY' && @$asked;
    my %value = map  { $_->{id} => $_->{randomNumber} } @$asked;
    my @ids   = sort { $a <=> $b } keys %value;
    $c->render_later;
    return $c->worlds(map { $_->{id} } @$asked)->then(sub ($rows) {
      return $c->rendered(404) if grep { !$_ } @$rows;
      return $c->pg->db->query_p(UPDATE, \@ids, [@value{@ids}])->then(sub {
        $c->render(json => [map { $c->world({id => $_->{id}, randomnumber => $_->{randomNumber}}) } @$asked]);
      });
    });
  };

  get '/fortunes' => sub ($c) {
    $c->render_later;
    return $c->pg->db->query_p(FORTUNES)->then(sub ($results) {
      my @rows = (@{$results->hashes}, {id => 0, message => $c->param('add') // ''});
      $c->render('fortunes', fortunes => [sort { $a->{message} cmp $b->{message} } @rows]);
    });
  };
}

app->start;
