// All pages that are generated from the source. As a program (`npm run docs`) it writes them; test/docs.test.ts compares them with
// the committed pages.
import { writeFileSync } from 'node:fs'
import { cliPage } from './cli-page.ts'
import { configurationPage, environmentExample } from './configuration-page.ts'
import { errorsPage } from './errors-page.ts'
import { metricsPage } from './metrics-page.ts'
import { networksPage, proofsPage } from './networks-page.ts'
import { ipfsCommandsPage, methodsPage } from './operations-page.ts'

/** Path from the project's root folder -> text. */
export async function generatePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/reference/errors.md', errorsPage()],
    ['docs/reference/settings.md', configurationPage()],
    ['docs/reference/methods.md', methodsPage()],
    ['docs/reference/ipfs-commands.md', ipfsCommandsPage()],
    ['docs/reference/metrics.md', metricsPage()],
    ['docs/reference/networks.md', networksPage()],
    ['docs/reference/proofs.md', proofsPage()],
    ['docs/reference/cli.md', await cliPage()],
    ['.env.example', environmentExample()],
  ])
}

if (import.meta.main) {
  for (const [path, text] of await generatePages()) {
    writeFileSync(new URL(`../../${path}`, import.meta.url), text)
  }
}
