"""What our whole process does, by scikit-learn: peer_process.py MODEL IN OUT

Loads a model from its joblib file, reads rows from a .npy file, predicts and
writes the answers to another one.
"""

import sys

import joblib
import numpy as np

model = joblib.load(sys.argv[1])
np.save(sys.argv[3], model.predict(np.load(sys.argv[2])))
