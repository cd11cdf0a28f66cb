// The marker object that identifies the owner of a bucket or prefix: two servers in one place would remove each other's objects,
// and a wrong bucket would look like a loss of all files.
// Tested by test/files/object-data-set.test.ts
import type { Rows } from '../../db/rows.ts'
import { findDataSet, hasDataSet } from '../../tables/objects/data-set.ts'
import { type ObjectStore, ObjectNotFound } from './object-store.ts'

const markerName = 'cairn.json'
const markerBytesMax = 1000

/** `foreign`: the objects belong to another server; `absent`: this is not the bucket of this database. */
export type DataSetProblem = 'foreign' | 'absent'

/**
 * Null: the place belongs to the files of this database. `claim`: writes the marker if there is none and the database has no
 * objects yet; without `claim`, an unmarked place of a new database is not a problem. Throws the faults of both.
 */
export async function checkDataSet(
  rows: Rows,
  objects: Pick<ObjectStore, 'read' | 'put'>,
  claim: boolean,
): Promise<DataSetProblem | null> {
  const { signal } = new AbortController()
  const isEmpty = !claim && (await rows.first(hasDataSet()))?.found !== 1
  // Before the first start the database has no tables.
  const row = isEmpty ? { id: null, stored: 0 } : await rows.first(findDataSet())
  if (row === null) throw new Error('the database has no row in data_set')
  const marker = await objects
    .read(markerName, 0, 1, signal, markerBytesMax)
    .then(dataSetIn, (error: unknown) => {
      if (error instanceof ObjectNotFound) return null
      throw error
    })
  if (marker === row.id) return null
  if (marker !== null) return 'foreign'
  if (row.stored === 1) return 'absent'
  const text = JSON.stringify({ dataSet: row.id })
  if (claim) await objects.put(markerName, Buffer.from(text), signal)
  return null
}

/** Any other text counts as the marker of another server. */
function dataSetIn(bytes: Uint8Array): string {
  try {
    const { dataSet } = JSON.parse(Buffer.from(bytes).toString()) as { dataSet?: unknown }
    return typeof dataSet === 'string' ? dataSet : ''
  } catch {
    return ''
  }
}

/** The problem and its fix, as a sentence for the operator. `url`: the setting objects.url. */
export function describeDataSet(
  problem: DataSetProblem,
  url: string,
): { readonly message: string; readonly fix: string } {
  return problem === 'foreign'
    ? {
        message: `${url} contains the files of another Cairn`,
        fix: 'set objects.url to a bucket or a prefix of its own, or database.url to the database of these files',
      }
    : {
        message: `${url} does not contain the files of this database`,
        fix: 'set objects.url to the bucket and prefix that the other machines of this service use',
      }
}
