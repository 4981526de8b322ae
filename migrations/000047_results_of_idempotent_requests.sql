-- Results of idempotent requests are kept as the record service gives them, without their envelope and headers of HTTP. Rows of imports
-- hold ranges of lines and stay.
create function docket_system.decoded_uri(text text) returns text language sql immutable as $$
  select convert_from(coalesce(string_agg(
    case when part[1] like '\%__' then decode(substr(part[1], 2), 'hex') else convert_to(part[1], 'UTF8') end, ''::bytea order by at), ''::bytea), 'UTF8')
  from regexp_matches(text, '%[0-9A-Fa-f]{2}|[^%]+', 'g') with ordinality as found (part, at)
$$;

update docket_system.answered_once set
  headers = case when headers ? 'location' then jsonb_strip_nulls(jsonb_build_object(
      'table', split_part(substring(headers ->> 'location' from '/rest/v1/table/(.*)$'), '/', 1),
      'sys_id', docket_system.decoded_uri(split_part(substring(headers ->> 'location' from '/rest/v1/table/(.*)$'), '/', 2)),
      'version', replace(headers ->> 'etag', '"', ''),
      'ignores_view', case when headers ->> 'x-ignored-parameters' ~ '(^|, )sysparm_view($|,)' then 'true' end))
    else '{}' end,
  body = substr(body, 23, length(body) - 23)
where body like '{"status":"OK","data":%}';

drop function docket_system.decoded_uri(text);
