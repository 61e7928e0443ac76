"""Shows the tensors in the blobs of an artifact, of which graph-dump's JSON is
on stdin."""
import json
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
for blob in json.load(sys.stdin)["blobs"]:
    begin = blob["offset"]
    tensor = blob["tensor"]
    if tensor is None:
        continue
    dims = "x".join(map(str, tensor["dims"]))
    print(blob["name"], f"{dims}x{tensor['type']}",
          data[begin:begin + blob["bytes"]].hex())
