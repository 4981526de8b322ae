import './use-search-process.ts'
import '../documents-non-interference.test.ts'
