import './use-search-process.ts'
import '../documents-two-servers.test.ts'
