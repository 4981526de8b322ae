-- As before, but where a `<` at the end of the first text would begin a tag with the second, only that letter is escaped.
CREATE OR REPLACE FUNCTION docket_system.join_rich_text(first text, second text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case
    when first = '' then second
    when second = '' then first
    when docket_system.is_markup(first) and docket_system.is_markup(second) then first || second
    when docket_system.is_markup(first) then first || docket_system.escape_markup(second)
    when docket_system.is_markup(second) then docket_system.escape_markup(first) || second
    when not docket_system.is_markup(first || second) then first || second
    when not docket_system.is_markup(regexp_replace(first, '<$', '&lt;') || second) then regexp_replace(first, '<$', '&lt;') || second
    else docket_system.escape_markup(first || second) end
$function$;
