CREATE OR REPLACE FUNCTION docket_system.last_number(numbering bigint)
 RETURNS bigint
 LANGUAGE sql
AS $function$
  select coalesce(pg_sequence_last_value(s.seqrelid), s.seqstart - 1)
  from pg_sequence s where s.seqrelid = format('docket_system.number_%s', numbering)::regclass
$function$;
