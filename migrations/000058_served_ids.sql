-- APIs whose clients expect 32 hexadecimal digits get a sys_id as this prefix and 16 digits more. The prefix is made once and kept in backups, so
-- that ids stay what they are, and two installations never have the same one. 122 random bits are hashed, because a UUID has fixed digits.
create table docket_system.served_id (
  only_row boolean primary key default true check (only_row),
  prefix text not null check (prefix ~ '^[0-9a-f]{16}$')
);

insert into docket_system.served_id (prefix)
values (substr(encode(sha256(convert_to(gen_random_uuid()::text, 'utf8')), 'hex'), 1, 16));
