-- PostgreSQL keeps tables, indexes and sequences under one set of names.
CREATE OR REPLACE FUNCTION docket_system.free_relation_name(in_schema text, wanted text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  candidate text := wanted;
  n integer := 1;
begin
  while to_regclass(format('%I.%I', in_schema, candidate)) is not null or to_regtype(format('%I.%I', in_schema, candidate)) is not null loop
    n := n + 1;
    candidate := left(wanted, 60 - length(n::text) - 1) || '_' || n;
  end loop;
  return candidate;
end $function$;
