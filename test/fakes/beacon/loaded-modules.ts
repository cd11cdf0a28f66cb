// Preloaded into a server: writes the URL of each light client module that the server loads to the file `CAIRN_TEST_LOADED`.
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

const file = process.env['CAIRN_TEST_LOADED'] ?? ''

registerHooks({
  load(url, context, next) {
    if (/(src|dist)\/beacon\/|open-beacon/.test(url)) appendFileSync(file, `${url}\n`)
    return next(url, context)
  },
})
