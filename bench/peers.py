"""Libraries that average rankings, as programs over the same two files: qrels and run."""

PYTREC_EVAL = """
import json, math, sys, pytrec_eval
with open(sys.argv[1]) as file: qrels = pytrec_eval.parse_qrel(file)
with open(sys.argv[2]) as file: run = pytrec_eval.parse_run(file)
asked = {"ndcg_cut.10", "P.5", "recall.10", "recip_rank", "map"}
rows = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run).values()
names = ["ndcg_cut_10", "P_5", "recall_10", "recip_rank", "map"]
print(json.dumps([math.fsum(row[name] for row in rows) / len(rows) for name in names]))
"""
IR_MEASURES = """
import json, sys, ir_measures
from ir_measures import AP, P, R, RR, nDCG
asked = [nDCG@10, P@5, R@10, RR, AP]
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
found = ir_measures.calc_aggregate(asked, qrels, run)
print(json.dumps([found[measure] for measure in asked]))
"""
RANX = """
import json, sys, warnings
warnings.simplefilter("ignore")
from ranx import Qrels, Run, evaluate
qrels, run = Qrels.from_file(sys.argv[1], kind="trec"), Run.from_file(sys.argv[2], kind="trec")
asked = ["ndcg@10", "precision@5", "recall@10", "mrr", "map"]
print(json.dumps([float(value) for value in evaluate(qrels, run, asked).values()]))
"""
PEERS = {"pytrec_eval": PYTREC_EVAL, "ir_measures": IR_MEASURES, "ranx": RANX}
