-- Bits Monday 1 to Sunday 64 as names.
CREATE OR REPLACE FUNCTION docket_system.show_days(value smallint, language text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select case when value is null then null else coalesce((
    select string_agg(case language when 'ru' then ru else en end, ', ' order by bit)
    from (values (0, 'Monday', 'Понедельник'), (1, 'Tuesday', 'Вторник'), (2, 'Wednesday', 'Среда'), (3, 'Thursday', 'Четверг'),
                 (4, 'Friday', 'Пятница'), (5, 'Saturday', 'Суббота'), (6, 'Sunday', 'Воскресенье')) as d (bit, en, ru)
    where value & (1 << bit) <> 0), '') end
$function$;
