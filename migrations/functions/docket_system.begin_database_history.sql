-- Begins a history of the database, unless another connection has begun it just now. Numbers that the history before may have given
-- after the fork are skipped: processes, searchers and readers of events keep them, and must not take them for others.
--   is_forced: also on the same server, when its data was replaced by that of an earlier time
CREATE OR REPLACE FUNCTION docket_system.begin_database_history(here text, is_forced boolean DEFAULT false)
 RETURNS uuid
 LANGUAGE plpgsql
AS $function$
declare
  newest docket_system.database_history;
  last bigint := coalesce(pg_sequence_last_value('docket_system.change_position'), 499999999999999999);
  fork bigint := last;
  first bigint := last;
  begun uuid;
begin
  perform pg_advisory_xact_lock(7236401265);
  select h.* into newest from docket_system.database_history h order by h.number desc limit 1;
  if newest.server = here and not is_forced then
    return newest.id;
  end if;
  if newest.number is not null then
    fork := greatest(499999999999999999, (select max(c.position) from docket_system.change c),
      (select h.cleared_position from docket_system.change_horizon h));
    -- The committed watermark stays where it is until this transaction is over: who sees higher numbers sees the history too.
    perform pg_advisory_xact_lock_shared(last);
    -- Ten million changes are more than a standby lacks; a thousandth of what is left, so that the numbers never end.
    select last + s.seqincrement * least(10000000, (s.seqmax - last) / s.seqincrement / 1000) into first
    from pg_sequence s where s.seqrelid = 'docket_system.change_position'::regclass;
    perform setval('docket_system.change_position', first, true);
    perform setval('docket_system.sys_id_low',
      (coalesce(pg_sequence_last_value('docket_system.sys_id_low'), 0) + 10000000) % 100000000, true);
    -- Ids of documents, collections, models, loads and processes. Numbers of records (INC0000001) are for people, and are not skipped.
    perform setval(s.seqrelid::regclass, l.last_value + least(
        case when s.seqtypid = 'integer'::regtype then 10000 else 1000000000 end, (s.seqmax - l.last_value) / 1000), true)
    from pg_sequence s join pg_class c on c.oid = s.seqrelid
    cross join lateral (select pg_sequence_last_value(s.seqrelid) as last_value) l
    where c.relnamespace = 'docket_documents'::regnamespace and l.last_value is not null;
    -- A webhook may stand at a number that a transaction took and did not use.
    update docket_system.webhook set position = first where position > fork;
    update docket_documents.change_log set position = position + 1000000000;
    update docket_documents.embedding_model set position = position + 1000000000;
    update docket_system.epoch set catalog = catalog + 1000000, identity = identity + 1000000;
  end if;
  insert into docket_system.database_history (number, server, fork_position, first_position)
  values (coalesce(newest.number, 0) + 1, here, fork, first)
  returning id into begun;
  return begun;
end $function$;
