-- Each day of history that is no longer kept leaves dead rows in the log. By default PostgreSQL makes their space free when a fifth of the
-- table is dead: with ten million changes after forty days of 50,000. Until then, whoever reads the oldest changes passes all of them.
alter table docket_system.change set (autovacuum_vacuum_scale_factor = 0.02);
