-- `1 Hour 5 Minutes`: as show_duration, with whole words for the units in English.
CREATE OR REPLACE FUNCTION docket_system.show_duration_in_words(value bigint, language text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when language = 'ru' then displayed else (
    select string_agg(part[1] || case part[2] when 'd' then ' Day' when 'h' then ' Hour' when 'm' then ' Minute' else ' Second' end
        || case when part[1] in ('1', '-1') then '' else 's' end, ' ')
    from regexp_matches(displayed, '(-?[0-9]+) ([dhms])', 'g') as part) end
  from (select docket_system.show_duration(value, language) as displayed) as s
$function$;
