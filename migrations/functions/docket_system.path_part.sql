-- A text as a part of a path: everything but letters, digits and `-_.!~*'()` by its bytes, as encodeURIComponent does.
CREATE OR REPLACE FUNCTION docket_system.path_part(value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when value collate "C" !~ '[^A-Za-z0-9_.!~*''()-]' then value else
    (select string_agg(case when b.byte in (33, 39, 40, 41, 42, 45, 46, 95, 126) or b.byte between 48 and 57 or b.byte between 65 and 90
                               or b.byte between 97 and 122 then chr(b.byte) else '%' || upper(lpad(to_hex(b.byte), 2, '0')) end, '' order by b.n)
     from (select n, get_byte(convert_to(value, 'UTF8'), n) as byte from generate_series(0, octet_length(convert_to(value, 'UTF8')) - 1) as n) as b) end
$function$;
