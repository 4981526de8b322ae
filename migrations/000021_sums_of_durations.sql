-- Sums and means of durations (record spec, section 9: stats) are numeric, as PostgreSQL adds and divides bigint: they may be greater than any bigint.
create function docket_system.show_duration(value numeric, language text) returns text language sql immutable parallel safe as $$
  select case when abs(value) < 9223372036854775807 then docket_system.show_duration(value::bigint, language)
              else case when value < 0 then '-' else '' end || div(abs(value), 86400000) || case language when 'ru' then ' д' else ' d' end
                || case when mod(abs(value), 86400000) >= 60000 then ' ' || docket_system.show_duration(mod(abs(value), 86400000)::bigint, language) else '' end end
$$;
