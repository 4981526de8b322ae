-- Reading the text of a sys_id, faster and whatever the collation of the text: rows of journals, history and files are judged one by
-- one by it. A counted quantifier in a regular expression costs microseconds; PostgreSQL can say what is valid from 16 on.

do $$
declare
  knows boolean := current_setting('server_version_num')::integer >= 160000;
  volatility text := case when knows then 'stable' else 'immutable' end;
begin
  execute format($f$
    create or replace function docket_system.whole_id(value text) returns bigint language sql %s parallel safe as
    $b$ select case when octet_length(value) <= 18 and %s then value::bigint end $b$ $f$,
    volatility, case when knows then $t$pg_input_is_valid(value, 'bigint')$t$ else $t$value <> '' and value collate "C" !~ '[^0-9]'$t$ end);
  execute format($f$
    create or replace function docket_system.uuid_id(value text) returns uuid language sql %s parallel safe as
    $b$ select case when %s then value::uuid end $b$ $f$,
    volatility, case when knows then $t$pg_input_is_valid(value, 'uuid')$t$
      else $t$value collate "C" ~* '^([0-9a-f]{4}-?){7}[0-9a-f]{4}$|^\{([0-9a-f]{4}-?){7}[0-9a-f]{4}\}$'$t$ end);
end $$;

create or replace function docket_system.print_key_part(value text) returns text language sql immutable parallel safe as $$
  select replace(replace(replace(replace(replace(value collate "C", '!', '!21'), '~', '!7E'), ',', '!2C'), '@', '!40'), '^', '!5E')
$$;

create or replace function docket_system.path_part(value text) returns text language sql immutable parallel safe as $$
  select case when value collate "C" !~ '[^A-Za-z0-9_.!~*''()-]' then value else
    (select string_agg(case when b.byte in (33, 39, 40, 41, 42, 45, 46, 95, 126) or b.byte between 48 and 57 or b.byte between 65 and 90
                               or b.byte between 97 and 122 then chr(b.byte) else '%' || upper(lpad(to_hex(b.byte), 2, '0')) end, '' order by b.n)
     from (select n, get_byte(convert_to(value, 'UTF8'), n) as byte from generate_series(0, octet_length(convert_to(value, 'UTF8')) - 1) as n) as b) end
$$;
