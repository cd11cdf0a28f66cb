// `npm test` loads this in each test process. After the time in CAIRN_TEST_UNTIL (seconds since 1970) a test file that starts is
// left out with a line, so that a run on a slow machine ends in time. .ci/run sets the variable and names the files.
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const until = Number(process.env['CAIRN_TEST_UNTIL'] ?? Number.POSITIVE_INFINITY)
const path = relative(fileURLToPath(new URL('..', import.meta.url)), process.argv[1] ?? '')
// These hold the tests of all modules of src/.
const isUnits = path.startsWith('test/units/')

if (path.endsWith('.test.ts') && !isUnits && Date.now() / 1000 > until) {
  process.stdout.write(`left out by CAIRN_TEST_UNTIL: ${path}\n`)
  process.exit(0)
}
