-- A text as HTML that shows the same text.
CREATE OR REPLACE FUNCTION docket_system.escape_markup(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select replace(replace(replace(replace(value, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), E'\n', '<br />')
$function$;
