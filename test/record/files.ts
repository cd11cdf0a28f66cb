// Records the CIDs that Kubo computes for the files of `file-recipes.ts`.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CidRecipe, CidVector } from '../fakes/files/cid-vectors.ts'
import { addVector } from '../fakes/files/vector-upload.ts'
import { fileRecipes } from './file-recipes.ts'
import { startKubo } from './kubo.ts'

/** Writes `cids.json` below `folder`. Resolves with Kubo's version. */
export async function recordCids(program: string, folder: string): Promise<string> {
  let version = ''
  const results = new Map<CidRecipe, CidVector>()
  for (const [server, recipes] of Map.groupBy(fileRecipes, (one) => JSON.stringify(one.server))) {
    const { profile, ...settings } = JSON.parse(server ?? '{}') as Record<string, string>
    const profiles = profile === undefined ? [] : [profile]
    const kubo = await startKubo(program, { profiles, settings })
    version = kubo.version
    try {
      for (const recipe of recipes) {
        const [cid, rpcSize] = await addVector(kubo, recipe)
        if (cid === undefined) throw new Error(`${recipe.id} was not added`)
        results.set(recipe, { ...recipe, cid, rpcSize })
      }
    } finally {
      await kubo.stop()
    }
  }
  const lines = fileRecipes.map((recipe) => JSON.stringify(results.get(recipe)))
  const text = `{"kubo":"${version}","vectors":[\n${lines.join(',\n')}\n]}\n`
  writeFileSync(join(folder, 'cids.json'), text)
  return version
}
