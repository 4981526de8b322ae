// Imported before a suite: its servers have their index in a search process (test/harness/search-process.ts).
process.env['DOCKET_TEST_SEARCH_PROCESS'] = 'on'
