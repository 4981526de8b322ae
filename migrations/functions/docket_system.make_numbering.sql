-- Begins behind the numbers that stand there already: those of a numbering that was deleted are not given again.
CREATE OR REPLACE FUNCTION docket_system.make_numbering()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.start > 999999999999999999 then
    raise check_violation using message = 'a numbering begins with 18 digits at most', constraint = 'start';
  end if;
  execute format('create sequence docket_system.number_%s start %s minvalue 0', new.sys_id,
                 greatest(new.start, docket_system.highest_given(new.table_id, new.prefix) + 1));
  return null;
end $function$;
