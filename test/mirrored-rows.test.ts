// Repeats the tests of accounts, people, cards and usage with rows that run everything in SQLite and in PostgreSQL and fail if the
// results differ.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { glob } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { usePostgres } from './fakes/postgres-rows.ts'

const postgres = usePostgres()
const root = fileURLToPath(new URL('..', import.meta.url))
const patterns = [
  'src/access/people/**/*.test.ts',
  'src/access/cards/cards.test.ts',
  'src/access/usage/usage-report.test.ts',
  'src/access/accounts/{accounts,rotation,jwt-callers,jwt-public-keys}.test.ts',
]

/** Tests that change the SQLite database without its rows, or need a synchronous reply. */
const leftOut = [
  'settings of a key that an earlier version wrote, with fewer of them, can be changed',
  'keys of a database from before rotation go on working',
  'a link whose effect failed is not used up',
  'a passkey alone lets in where the password takes a code too',
  'a registered passkey is refused for any person, and a person has at most twenty',
  'a passkey that was stored as SPKI signs in after the migration',
  'random attestation bytes are accepted or refused as bad_passkey, with no other error',
  'a password alone opens no session if an authenticator is confirmed during its check',
  'a session or role that another process ended is refused at the next call',
  'guesses of a code are wrong tries too',
  'a password that changed during its check opens no session',
  'a right password does not wait behind the wrong ones of another address',
]

test(
  'accounts, people, cards and usage behave the same in both engines',
  { skip: postgres.skip },
  async () => {
    const files = await Array.fromAsync(glob(patterns, { cwd: root }))
    assert.ok(files.length > 20)
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const CAIRN_MIRROR = postgres.server().urlOf(await postgres.createDatabase())
    const skipped = leftOut.map((name) => `--test-skip-pattern=/^${name}$/`)
    const args = ['--test', '--test-isolation=none', '--test-reporter=spec', ...skipped, ...files]
    const options = { cwd: root, env: { ...env, CAIRN_MIRROR }, maxBuffer: 64 * 1024 * 1024 }
    try {
      await promisify(execFile)(process.execPath, args, options)
    } catch (error) {
      throw new Error((error as { stdout: string }).stdout, { cause: error })
    }
  },
)
