-- Numbers of records are given by one sequence for each row of sys_number. A counter passes every number that somebody gives, and
-- never goes back.

-- The last numbers of numberings that are gone, by what they numbered: they are not given again.
create table docket_system.number_given (
  root_id bigint not null references docket.sys_db_table on delete cascade,
  -- Case-folded, as numbers are compared.
  prefix text not null,
  last bigint not null,
  primary key (root_id, prefix));

-- The table at the top of a hierarchy: the number column is unique over all of it. Null where the table is gone.
create function docket_system.root_of(of_table bigint) returns bigint language sql stable as $$
  with recursive line as (
    select t.sys_id, t.parent_id from docket.sys_db_table t where t.sys_id = of_table
    union all select p.sys_id, p.parent_id from docket.sys_db_table p join line on line.parent_id = p.sys_id)
  select line.sys_id from line where line.parent_id is null
$$;

-- n of a number `<prefix><n>`; null where the text has another form, or more digits than a counter reaches.
create function docket_system.count_in_number(number text, prefix text) returns bigint language sql immutable as $$
  select case when starts_with(docket_system.fold(number), docket_system.fold(prefix)) and substr(number, length(prefix) + 1) ~ '^[0-9]{1,18}$'
              then substr(number, length(prefix) + 1)::bigint end
$$;

-- The highest n among the stored numbers of a hierarchy; null where there is none. Reads the whole table.
create function docket_system.highest_number(of_table bigint, prefix text) returns bigint language plpgsql stable as $$
declare
  place record;
  highest bigint;
begin
  for place in
    select distinct t.storage_schema, t.storage_table, c.storage_column
    from docket.sys_db_table t join docket.sys_db_column c on c.table_id = t.sys_id and c.column_name = 'number'
    where docket_system.root_of(t.sys_id) = docket_system.root_of(of_table) and c.storage_column is not null
  loop
    execute format('select greatest($2, max(docket_system.count_in_number(%1$I::text, $1))) from %2$I.%3$I', place.storage_column, place.storage_schema, place.storage_table)
      into highest using prefix, highest;
  end loop;
  return highest;
end $$;

create function docket_system.last_number(numbering bigint) returns bigint language sql volatile as $$
  select coalesce(pg_sequence_last_value(s.seqrelid), s.seqstart - 1)
  from pg_sequence s where s.seqrelid = format('docket_system.number_%s', numbering)::regclass
$$;

-- The next number is behind `passed`. Others take numbers at the same time, and a counter must not go back for them: a short way is
-- gone number by number; for a long way the sequence is locked until the transaction ends.
create function docket_system.pass_number(numbering bigint, passed bigint) returns void language plpgsql volatile as $$
declare
  counter regclass := format('docket_system.number_%s', numbering)::regclass;
  last bigint := docket_system.last_number(numbering);
begin
  if passed - last > 10000 then
    execute format('alter sequence %s owned by none', counter);
    last := docket_system.last_number(numbering);
    if passed > last then
      perform setval(counter, passed);
    end if;
    return;
  end if;
  while last < passed loop
    last := nextval(counter);
  end loop;
end $$;

-- A number that somebody gives to a record of the table, whatever numbering it looks like: each number of the hierarchy is unique.
create function docket_system.note_number(of_table bigint, number text) returns text language plpgsql volatile as $$
declare
  numbering record;
begin
  for numbering in
    select n.sys_id, docket_system.count_in_number(number, n.prefix) as count from docket.sys_number n
    where docket_system.root_of(n.table_id) = docket_system.root_of(of_table) order by n.sys_id
  loop
    perform docket_system.pass_number(numbering.sys_id, numbering.count);
  end loop;
  return number;
end $$;

-- What was written past the server is passed too: called where a number that the counter gave was taken.
create function docket_system.pass_stored_numbers(numbering bigint) returns void language sql volatile as $$
  select docket_system.pass_number(n.sys_id, docket_system.highest_number(n.table_id, n.prefix)) from docket.sys_number n where n.sys_id = numbering
$$;

create function docket_system.remember_number(of_table bigint, prefix text, last bigint) returns void language sql volatile as $$
  insert into docket_system.number_given as g (root_id, prefix, last)
  select r.root, docket_system.fold(remember_number.prefix), remember_number.last
  from (select docket_system.root_of(of_table) as root) as r where r.root is not null
  on conflict (root_id, prefix) do update set last = greatest(g.last, excluded.last)
$$;

-- The highest n that was ever given under a prefix, as far as it is known; -1 where there is none.
create function docket_system.highest_given(of_table bigint, prefix text) returns bigint language sql volatile as $$
  select greatest(-1, docket_system.highest_number(of_table, highest_given.prefix),
    (select g.last from docket_system.number_given g
     where g.root_id = docket_system.root_of(of_table) and g.prefix = docket_system.fold(highest_given.prefix)))
$$;

create or replace function docket_system.make_numbering() returns trigger language plpgsql as $$
begin
  execute format('create sequence docket_system.number_%s start %s minvalue 0', new.sys_id,
                 greatest(new.start, docket_system.highest_given(new.table_id, new.prefix) + 1));
  return null;
end $$;

create or replace function docket_system.end_numbering() returns trigger language plpgsql as $$
begin
  perform docket_system.remember_number(old.table_id, old.prefix, docket_system.last_number(old.sys_id));
  execute format('drop sequence if exists docket_system.number_%s', old.sys_id);
  return null;
end $$;

create function docket_system.change_numbering() returns trigger language plpgsql as $$
declare
  last bigint := docket_system.last_number(new.sys_id);
begin
  if new.start <> old.start then
    if new.start <= last then
      perform docket_system.refuse(jsonb_build_object('kind', 'number-given', 'column', 'start', 'least', last + 1));
    end if;
    perform docket_system.pass_number(new.sys_id, new.start - 1);
  end if;
  if (new.prefix, new.table_id) is distinct from (old.prefix, old.table_id) then
    perform docket_system.remember_number(old.table_id, old.prefix, last);
    perform docket_system.pass_number(new.sys_id, docket_system.highest_given(new.table_id, new.prefix));
  end if;
  return null;
end $$;
create trigger change_numbering after update on docket.sys_number for each row execute function docket_system.change_numbering();

-- Counters of databases that stand already.
select docket_system.pass_stored_numbers(n.sys_id) from docket.sys_number n;
