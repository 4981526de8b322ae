-- The operator class of trigram indexes, wherever the extension is; null: it is not in this database.
CREATE OR REPLACE FUNCTION docket_system.trigram_operators()
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select format('%I.%I', n.nspname, o.opcname)
  from pg_catalog.pg_opclass o
    join pg_catalog.pg_am m on m.oid = o.opcmethod and m.amname = 'gin'
    join pg_catalog.pg_namespace n on n.oid = o.opcnamespace
  where o.opcname = 'gin_trgm_ops' limit 1
$function$;
