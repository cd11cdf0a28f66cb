>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xc1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1","0xasdf","latest"]}
<< {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"invalid hex in storage key: \"0xasdf\""}}
