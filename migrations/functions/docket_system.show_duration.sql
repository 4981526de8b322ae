-- A duration under a second has no sign: -0.4 s is 0 s.
CREATE OR REPLACE FUNCTION docket_system.show_duration(value bigint, language text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when value is null then null else
    case when value <= -1000 then '-' else '' end || coalesce(nullif(concat_ws(' ',
      case when abs(greatest(value, -9223372036854775807)) >= 86400000 then (abs(greatest(value, -9223372036854775807)) / 86400000) || case language when 'ru' then ' д' else ' d' end end,
      case when abs(greatest(value, -9223372036854775807)) % 86400000 >= 3600000 then (abs(greatest(value, -9223372036854775807)) % 86400000 / 3600000) || case language when 'ru' then ' ч' else ' h' end end,
      case when abs(greatest(value, -9223372036854775807)) % 3600000 >= 60000 then (abs(greatest(value, -9223372036854775807)) % 3600000 / 60000) || case language when 'ru' then ' мин' else ' m' end end), ''),
      (abs(greatest(value, -9223372036854775807)) / 1000) || case language when 'ru' then ' с' else ' s' end) end
$function$;

CREATE OR REPLACE FUNCTION docket_system.show_duration(value numeric, language text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when abs(value) < 9223372036854775807 then docket_system.show_duration(value::bigint, language)
              else case when value < 0 then '-' else '' end || div(abs(value), 86400000) || case language when 'ru' then ' д' else ' d' end
                || case when mod(abs(value), 86400000) >= 60000 then ' ' || docket_system.show_duration(mod(abs(value), 86400000)::bigint, language) else '' end end
$function$;
