-- A change that an import with migrate=1 wrote: records that come from another system with their own authors and times. The log
-- says who imported them and when.
alter table docket_system.change add column migrated boolean not null default false;
