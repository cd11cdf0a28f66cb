// Entry of a thread that checks the database once, through a connection of its own, and ends.
// Tested by test/database-check.test.ts
import { parentPort, workerData } from 'node:worker_threads'
import { checkIntegrity, type Damage } from './integrity.ts'
import { openDatabase } from './sqlite.ts'

export type IntegrityOrder = { readonly path: string; readonly quick: boolean }

/** Of all tables. */
const damagesMax = 100

export type IntegrityNews = { readonly damages: readonly Damage[] }

function check({ path, quick }: IntegrityOrder): IntegrityNews {
  const db = openDatabase(path, { readOnly: true })
  try {
    const damages: Damage[] = []
    for (const damage of checkIntegrity(db, quick)) {
      if (damages.length < damagesMax) damages.push(damage)
    }
    return { damages }
  } finally {
    db.close()
  }
}

parentPort?.postMessage(check(workerData as IntegrityOrder))
