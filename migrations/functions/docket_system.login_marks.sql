-- Folded as user names are compared, so that "Anna" and "ANNA" count together.
CREATE OR REPLACE FUNCTION docket_system.login_marks(claimed_name text, network text)
 RETURNS TABLE(scope text, mark bytea)
 LANGUAGE sql
 STABLE
AS $function$
  select s.scope, s.mark
  from (select sha256(convert_to(docket_system.fold(claimed_name), 'UTF8')) as name,
               sha256(convert_to(network, 'UTF8')) as address) as m,
       lateral (values ('name', m.name), ('address', m.address), ('pair', sha256(m.name || m.address))) as s (scope, mark)
$function$;
