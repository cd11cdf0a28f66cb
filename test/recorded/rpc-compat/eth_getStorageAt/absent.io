>> {"jsonrpc":"2.0","id":1,"method":"eth_getStorageAt","params":["0xc1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1","0x01","latest"]}
<< {"jsonrpc":"2.0","id":1,"result":"0x0000000000000000000000000000000000000000000000000000000000000000"}
