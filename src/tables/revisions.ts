// Table `revision`: numbers that triggers and writes of usage increment when rows of that name change.
// Tested by src/access/usage/usage.test.ts
import { query, type Query } from '../db/rows.ts'

type RevisedRows = 'accounts' | 'networks' | 'people' | 'usage'

export function revisionOf(name: RevisedRows): Query<{ number: number }> {
  return query('SELECT number FROM revision WHERE name = ?', [name])
}
