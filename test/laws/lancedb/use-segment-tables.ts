// Imported before a suite: its servers move their index into tables of LanceDB (test/harness/segment-tables.ts).
process.env['DOCKET_TEST_SEGMENT_TABLES'] = 'on'
