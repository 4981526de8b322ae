import './use-search-process.ts'
import '../documents-model.test.ts'
