import './use-search-process.ts'
import '../documents-hybrid.test.ts'
